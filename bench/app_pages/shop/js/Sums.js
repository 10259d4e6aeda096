export const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
