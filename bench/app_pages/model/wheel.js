import * as THREE from 'three';
import {OrbitControls} from 'three/addons/controls/OrbitControls.js';
import {OBJLoader} from 'three/addons/loaders/OBJLoader.js';

const scene = new THREE.Scene();
const camera = new THREE.PerspectiveCamera(50, 1, 0.1, 100);
camera.position.set(2, 2, 3);
const renderer = new THREE.WebGLRenderer({preserveDrawingBuffer: true});
renderer.setSize(200, 200);
document.body.append(renderer.domElement);
const controls = new OrbitControls(camera, renderer.domElement);
controls.update();
scene.add(new THREE.HemisphereLight(0xffffff, 0x224466, 3));

const texture = await new THREE.TextureLoader().loadAsync('pictures/plank.png');
document.querySelector('#texture').textContent = `${texture.image.width} dots wide`;
const object = await new OBJLoader().loadAsync('models/box.obj');
object.traverse((each) => { if (each.isMesh) each.material = new THREE.MeshStandardMaterial({map: texture}); });
scene.add(object);
const corners = new Set();
const place = object.children[0].geometry.attributes.position;
for (let at = 0; at < place.count; at++) corners.add([place.getX(at), place.getY(at), place.getZ(at)].join());
document.querySelector('#model').textContent = `${corners.size} corners`;
renderer.render(scene, camera);
document.querySelector('#state').textContent = `The wheel turns: ${controls.enabled}`;
