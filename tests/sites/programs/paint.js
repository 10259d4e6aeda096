registerPaint('dots', class { paint(context) { context.fillRect(0, 0, 2, 2); } });
