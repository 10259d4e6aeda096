[playlist]
File1=http://radio.example/a.mp3
Title1=A
