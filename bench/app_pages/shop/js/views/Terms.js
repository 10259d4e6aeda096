export default {template: '<p>Paid at the quay, in coins.</p>'};
