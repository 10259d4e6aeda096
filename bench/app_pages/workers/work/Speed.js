var speed = 'seven knots';
