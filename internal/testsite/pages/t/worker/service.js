oninstall = () => skipWaiting();
