export const builder = 'Built at the old slip.';
