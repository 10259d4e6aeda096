export const where = new URL(import.meta.url).pathname;
