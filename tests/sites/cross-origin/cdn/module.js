export default 'a module from afar';
