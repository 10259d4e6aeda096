const {createApp, reactive, computed, ref, onMounted} = Vue;
const {createRouter, createWebHashHistory} = VueRouter;

const basket = reactive([]);
const goods = ref([]);

const Goods = {
  setup() {
    const wanted = ref('');
    onMounted(async () => { goods.value = await (await fetch('data/goods.json')).json(); });
    const found = computed(() => goods.value.filter((each) => each.name.toLowerCase().includes(wanted.value)));
    return {wanted, found, put: (each) => basket.push(each)};
  },
  template: `<div><input v-model="wanted"><div class="good" v-for="each in found" :key="each.id">
    <router-link :to="'/goods/' + each.id">{{ each.name }}</router-link> <img :src="each.picture" alt="">
    <button @click="put(each)">Buy</button></div></div>`,
};
const Good = {
  setup() {
    const route = VueRouter.useRoute();
    const good = ref(null);
    onMounted(async () => {
      const all = await (await fetch('data/goods.json')).json();
      good.value = all.find((each) => each.id === route.params.id);
    });
    return {good};
  },
  template: `<div v-if="good"><h2>{{ good.name }}</h2><p>{{ good.about }}</p></div>`,
};

const router = createRouter({
  history: createWebHashHistory(),
  routes: [
    {path: '/', component: Goods},
    {path: '/goods/:id', component: Good},
    {path: '/basket', component: () => import('./views/Basket.js')},
    {path: '/terms', component: () => import('./views/Terms.js')},
  ],
});
createApp({
  setup: () => ({basket}),
  template: `<header>{{ basket.length }} in the basket <router-link to="/basket">Basket</router-link>
    <router-link to="/terms">Terms</router-link></header><main><router-view></router-view></main>`,
}).provide('basket', basket).use(router).mount('#app');
