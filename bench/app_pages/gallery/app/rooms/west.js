export default 'Hung by the west wall.';
