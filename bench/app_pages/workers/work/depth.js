export const depth = 'three';
