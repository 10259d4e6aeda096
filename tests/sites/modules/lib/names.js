export default ['harbour', 'lighthouse'];
