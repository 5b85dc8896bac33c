onmessage = () => postMessage('ready');
