window.tracked = 'tracked';
