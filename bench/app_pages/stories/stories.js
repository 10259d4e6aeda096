const {createElement: e, useEffect, useRef, useState} = React;
const {BrowserRouter, Link, NavLink, Route, Routes, useParams} = ReactRouterDOM;

const get = async (path) => (await fetch(path)).json();

function Feed() {
  const [stories, setStories] = useState([]);
  const [next, setNext] = useState(1);
  const more = useRef(null);
  useEffect(() => {
    if (!next) return undefined;
    let busy = false;
    const watch = new IntersectionObserver(async (seen) => {
      if (busy || !seen.some((each) => each.isIntersecting)) return;
      busy = true;
      const page = await get(`/api/stories?page=${next}`);
      setStories((held) => [...held, ...page.stories]);
      setNext(page.next);
    });
    watch.observe(more.current);
    return () => watch.disconnect();
  }, [next]);
  return e('div', null,
    e('ul', null, stories.map((story) => e('li', {key: story.id},
      e(Link, {to: `/story/${story.id}`}, story.title),
      e('img', {src: story.picture, alt: '', width: 64, height: 64, loading: 'lazy'})))),
    e('div', {id: 'more', ref: more}, next ? 'more…' : 'That was all.'));
}

function Story() {
  const {id} = useParams();
  const [story, setStory] = useState(null);
  useEffect(() => { get(`/api/stories/${id}`).then(setStory); }, [id]);
  return story && e('article', null, e('h1', null, story.title), e('p', null, story.text), e('img', {src: story.picture, alt: ''}));
}

const About = () => e('p', null, 'Kept by the harbour master since 1871.');

ReactDOM.createRoot(document.getElementById('root')).render(
  e(BrowserRouter, null,
    e('nav', null, e(NavLink, {to: '/', end: true}, 'Feed'), e(NavLink, {to: '/about'}, 'About')),
    e('main', null, e(Routes, null,
      e(Route, {path: '/', element: e(Feed)}),
      e(Route, {path: '/story/:id', element: e(Story)}),
      e(Route, {path: '/about', element: e(About)}),
      e(Route, {path: '*', element: e('p', null, 'There is no such page.')})))));
