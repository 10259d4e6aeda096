export const word = 'imported';
