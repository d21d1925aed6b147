import type { ReactNode } from 'react';
import type { IconName } from './icons';

const SHAPES: Record<IconName, ReactNode> = {
  check: (
    <>
      <circle cx="8" cy="8" r="6.25" />
      <path d="m5.3 8.2 1.9 1.9 3.6-3.9" />
    </>
  ),
  alert: (
    <>
      <path d="M8 2 14.5 13.5h-13z" />
      <path d="M8 6.5v3.2M8 11.7v.01" />
    </>
  ),
  cross: (
    <>
      <circle cx="8" cy="8" r="6.25" />
      <path d="m5.8 5.8 4.4 4.4m0-4.4-4.4 4.4" />
    </>
  ),
  clock: (
    <>
      <circle cx="8" cy="8" r="6.25" />
      <path d="M8 4.6V8l2.3 1.5" />
    </>
  ),
  dash: (
    <>
      <circle cx="8" cy="8" r="6.25" />
      <path d="M5.4 8h5.2" />
    </>
  ),
  sliders: (
    <>
      <path d="M2 5h6.5M12.5 5H14M2 11h1.5M7.5 11H14" />
      <circle cx="10.5" cy="5" r="1.9" />
      <circle cx="5.5" cy="11" r="1.9" />
    </>
  ),
  close: <path d="m4 4 8 8m0-8-8 8" />,
  play: <path d="M5 3.2v9.6l7.6-4.8z" />,
  pause: <path d="M5.6 3.4v9.2M10.4 3.4v9.2" />,
  dotted: <circle cx="8" cy="8" r="6.25" strokeDasharray="2.2 2.2" />,
  question: (
    <>
      <circle cx="8" cy="8" r="6.25" />
      <path d="M6.3 6.4c.2-1 .9-1.5 1.8-1.5 1 0 1.7.6 1.7 1.5 0 1.2-1.7 1.3-1.7 2.4M8.1 11v.01" />
    </>
  ),
  copy: (
    <>
      <rect x="5.5" y="5.5" width="8" height="8" rx="1.5" />
      <path d="M10.5 5.5v-2A1.5 1.5 0 0 0 9 2H4a1.5 1.5 0 0 0-1.5 1.5V9A1.5 1.5 0 0 0 4 10.5h1.5" />
    </>
  ),
  external: <path d="M6 3.5H3.5v9h9V10M9 2.5h4.5V7M13.2 2.8 7.5 8.5" />,
  refresh: <path d="M13.5 3v3.5H10M2.5 13V9.5H6M3.3 6.2A5.2 5.2 0 0 1 13 6M12.7 9.8A5.2 5.2 0 0 1 3 10" />,
  search: (
    <>
      <circle cx="7" cy="7" r="4.5" />
      <path d="m10.4 10.4 3.4 3.4" />
    </>
  ),
  sun: (
    <>
      <circle cx="8" cy="8" r="2.8" />
      <path d="M8 1.5v1.6M8 12.9v1.6M1.5 8h1.6M12.9 8h1.6M3.4 3.4l1.1 1.1M11.5 11.5l1.1 1.1M12.6 3.4l-1.1 1.1M4.5 11.5l-1.1 1.1" />
    </>
  ),
  moon: <path d="M13.5 9.6A6 6 0 0 1 6.4 2.5a6 6 0 1 0 7.1 7.1z" />,
  screen: (
    <>
      <rect x="1.8" y="2.8" width="12.4" height="8.4" rx="1.2" />
      <path d="M5.5 13.8h5" />
    </>
  ),
  ticks: <path d="m2 4.2 1.3 1.3 2.4-2.6M2 10.7 3.3 12l2.4-2.6M8.5 4.5H14M8.5 11H14" />,
  filter: <path d="M2.5 4h11M4.5 8h7M6.5 12h3" />,
  calendar: (
    <>
      <rect x="2.2" y="3.2" width="11.6" height="10.6" rx="1.4" />
      <path d="M2.2 6.6h11.6M5.4 1.8v2.8M10.6 1.8v2.8" />
    </>
  ),
  eye: (
    <>
      <path d="M1.5 8S4 3.8 8 3.8 14.5 8 14.5 8 12 12.2 8 12.2 1.5 8 1.5 8z" />
      <circle cx="8" cy="8" r="1.9" />
    </>
  ),
  left: <path d="M10 3 5 8l5 5" />,
  right: <path d="m6 3 5 5-5 5" />,
  down: <path d="m3 6 5 5 5-5" />,
  broken: (
    <>
      <path d="M4.2 2.5h5.3l2.5 2.6v8.4H4.2z" />
      <path d="m4.2 9.5 2-1.6 1.8 1.6 2-1.6 2 1.6" />
    </>
  ),
};

/** The shapes, once per page and rendered on the server only; every `Icon` refers to one of them. */
export function IconSprite() {
  return (
    <svg aria-hidden="true" width="0" height="0" style={{ position: 'absolute' }}>
      {Object.entries(SHAPES).map(([name, shape]) => (
        <symbol key={name} id={`icon-${name}`} viewBox="0 0 16 16">
          {shape}
        </symbol>
      ))}
    </svg>
  );
}
