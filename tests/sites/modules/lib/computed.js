export default 'by a computed name';
