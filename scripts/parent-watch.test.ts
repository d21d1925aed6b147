import { expect, test } from 'vitest';
import { startsJobs } from './parent-watch.mjs';

test.each(['npm start &', 'npm start & sleep 60; true', 'npm start > log 2>&1 &', 'cd here && (npm start&)'])(
  '%j puts a job into the background',
  (command) => {
    expect(startsJobs(command)).toBe(true);
  },
);

test.each([
  'npm start; true',
  'cd here && npm start && true',
  'npm start > log 2>&1; true',
  'npm start &> log; true',
  'npm start >& log; true',
])('%j runs everything in the foreground', (command) => {
  expect(startsJobs(command)).toBe(false);
});
