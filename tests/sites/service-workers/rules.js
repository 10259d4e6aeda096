const kept = ['cached.txt', 'cached.png'];
