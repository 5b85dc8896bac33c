// What Go calls.
globalThis.swarmEngine = {
  listen, prepareClick, armAround, pressLost, prepareType, typedValue, waitFor, readText, count, content, info, pageBox, elementBox, certify,
};
