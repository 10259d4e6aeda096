import {sum} from '../Sums.js';

export default {
  inject: ['basket'],
  computed: {total() { return sum(this.basket.map((each) => each.price)); }},
  template: '<p>To pay: {{ total }}</p>',
};
