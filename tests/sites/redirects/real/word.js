export default 'relative to where it really is';
