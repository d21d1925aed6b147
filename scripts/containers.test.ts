import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const compose = readFileSync('compose.yaml', 'utf8');
const dockerfile = readFileSync('Dockerfile', 'utf8');

const services = [
  ...(compose
    .split(/^services:\n/m)[1]
    ?.split(/^\w/m)[0]
    ?.matchAll(/^ {2}(\w+):\n((?: {4}.*\n)+)/gm) ?? []),
].map(([, name = '', text = '']) => ({ name, text }));

const PINNED = /^[\w./-]+:v?\d+\.\d+[\w.-]*@sha256:[0-9a-f]{64}$/;

it('every image is pinned by version and digest', () => {
  const images = [
    ...[...compose.matchAll(/^ +image: (\S+)$/gm)].map(([, image = '']) => image),
    ...[...dockerfile.matchAll(/^ARG \w+_IMAGE=(\S+)$/gm)].map(([, image = '']) => image),
  ];
  expect(images.length).toBe(3);
  expect(images.filter((image) => !PINNED.test(image))).toEqual([]);
  const stages = [...dockerfile.matchAll(/^FROM (.*)$/gm)].map(([, from = '']) => from);
  expect(stages.length).toBe(2);
  for (const stage of stages) expect(stage).toMatch(/^\$\{\w+_IMAGE\}( AS \w+)?$/);
});

it('no service runs as root, writes to its image, has a capability, or gains a privilege', () => {
  expect(services.map(({ name }) => name)).toEqual(['keeperscope', 'postgres', 'prometheus']);
  for (const { name, text } of services) {
    expect(text, name).toMatch(/^ {4}read_only: true$/m);
    expect(text, name).toMatch(/^ {4}cap_drop: \[ALL\]$/m);
    expect(text, name).toMatch(/^ {4}security_opt: \[no-new-privileges:true\]$/m);
    expect(text, name).toMatch(/^ {4}tmpfs: \[\/tmp/m);
    expect(text, name).not.toMatch(/user: "?(root|0)\b|privileged: true|cap_add/);
    // The Dockerfile sets the user of our image.
    if (name !== 'keeperscope') expect(text, name).toMatch(/^ {4}user: "[1-9]\d*:[1-9]\d*"$/m);
  }
  expect(dockerfile).toMatch(/^USER node$/m);
});
