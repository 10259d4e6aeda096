export const hint = 'preloaded with what it needs';
