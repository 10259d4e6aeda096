export const late = 'later';
