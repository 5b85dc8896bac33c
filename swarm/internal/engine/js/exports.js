// What Go calls.
globalThis.swarmEngine = {
  prepareClick, pressLost, prepareType, typedValue, waitFor, readText, count, content, info, pageBox, elementBox, certify,
};
