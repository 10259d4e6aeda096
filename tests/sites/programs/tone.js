export const tone = 440;
