'use client';
/** A ring around the middle of a pictogram of 16 pixels. */
const RING = 'M1.75 8a6.25 6.25 0 1 0 12.5 0 6.25 6.25 0 1 0-12.5 0';

/** Rendered once per page (`IconSprite`). */
const SHAPES = {
  check: `${RING}m3.55.2 1.9 1.9 3.6-3.9`,
  alert: 'M8 2 14.5 13.5h-13zM8 6.5v3.2M8 11.7v.01',
  cross: `${RING}M5.8 5.8l4.4 4.4m0-4.4-4.4 4.4`,
  clock: `${RING}M8 4.6V8l2.3 1.5`,
  dash: `${RING}M5.4 8h5.2`,
  dotted: RING,
  question: `${RING}M6.3 6.4c.2-1 .9-1.5 1.8-1.5 1 0 1.7.6 1.7 1.5 0 1.2-1.7 1.3-1.7 2.4M8.1 11v.01`,
  sliders:
    'M2 5h6.5M12.5 5H14M2 11h1.5M7.5 11H14M8.6 5a1.9 1.9 0 1 0 3.8 0 1.9 1.9 0 1 0-3.8 0M3.6 11a1.9 1.9 0 1 0 3.8 0 1.9 1.9 0 1 0-3.8 0',
  close: 'm4 4 8 8m0-8-8 8',
  play: 'M5 3.2v9.6l7.6-4.8z',
  pause: 'M5.6 3.4v9.2M10.4 3.4v9.2',
  copy: 'M7 5.5h5A1.5 1.5 0 0 1 13.5 7v5a1.5 1.5 0 0 1-1.5 1.5H7A1.5 1.5 0 0 1 5.5 12V7A1.5 1.5 0 0 1 7 5.5M10.5 5.5v-2A1.5 1.5 0 0 0 9 2H4a1.5 1.5 0 0 0-1.5 1.5V9A1.5 1.5 0 0 0 4 10.5h1.5',
  external: 'M6 3.5H3.5v9h9V10M9 2.5h4.5V7M13.2 2.8 7.5 8.5',
  refresh: 'M13.5 3v3.5H10M2.5 13V9.5H6M3.3 6.2A5.2 5.2 0 0 1 13 6M12.7 9.8A5.2 5.2 0 0 1 3 10',
  search: 'M2.5 7a4.5 4.5 0 1 0 9 0 4.5 4.5 0 1 0-9 0m7.9 3.4 3.4 3.4',
  sun: 'M5.2 8a2.8 2.8 0 1 0 5.6 0 2.8 2.8 0 1 0-5.6 0M8 1.5v1.6M8 12.9v1.6M1.5 8h1.6M12.9 8h1.6M3.4 3.4l1.1 1.1M11.5 11.5l1.1 1.1M12.6 3.4l-1.1 1.1M4.5 11.5l-1.1 1.1',
  moon: 'M13.5 9.6A6 6 0 0 1 6.4 2.5a6 6 0 1 0 7.1 7.1z',
  screen:
    'M3 2.8h10a1.2 1.2 0 0 1 1.2 1.2v6a1.2 1.2 0 0 1-1.2 1.2H3A1.2 1.2 0 0 1 1.8 10V4A1.2 1.2 0 0 1 3 2.8M5.5 13.8h5',
  filter: 'M2.5 4h11M4.5 8h7M6.5 12h3',
  calendar:
    'M3.6 3.2h8.8a1.4 1.4 0 0 1 1.4 1.4v7.8a1.4 1.4 0 0 1-1.4 1.4H3.6a1.4 1.4 0 0 1-1.4-1.4V4.6a1.4 1.4 0 0 1 1.4-1.4M2.2 6.6h11.6M5.4 1.8v2.8M10.6 1.8v2.8',
  eye: 'M1.5 8S4 3.8 8 3.8 14.5 8 14.5 8 12 12.2 8 12.2 1.5 8 1.5 8zM6.1 8a1.9 1.9 0 1 0 3.8 0 1.9 1.9 0 1 0-3.8 0',
  bell: 'M3.5 11.5h9c-.9-.9-1.2-1.9-1.2-4.2a3.3 3.3 0 0 0-6.6 0c0 2.3-.3 3.3-1.2 4.2M6.8 13.4h2.4',
  'bell-set':
    'M3.5 11.5h9c-.9-.9-1.2-1.9-1.2-4.2a3.3 3.3 0 0 0-6.6 0c0 2.3-.3 3.3-1.2 4.2M6.8 13.4h2.4M8 7.4v.6',
  grip: 'M5.5 3v.01M10.5 3v.01M5.5 8v.01M10.5 8v.01M5.5 13v.01M10.5 13v.01',
  plus: 'M8 3v10M3 8h10',
  left: 'M10 3 5 8l5 5',
  right: 'm6 3 5 5-5 5',
  down: 'm3 6 5 5 5-5',
  broken: 'M4.2 2.5h5.3l2.5 2.6v8.4H4.2zM4.2 9.5l2-1.6 1.8 1.6 2-1.6 2 1.6',
};
export type IconName = keyof typeof SHAPES;

/** Decorative: the text beside it carries the meaning. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg aria-hidden="true" className="icon" width={size} height={size}>
      <use href={`#icon-${name}`} />
    </svg>
  );
}

const dashes = (name: string) => (name === 'dotted' ? ' stroke-dasharray="2.2 2.2"' : '');
const symbol = ([name, path]: [string, string]) =>
  `<symbol id="icon-${name}" viewBox="0 0 16 16"><path d="${path}"${dashes(name)}/></symbol>`;
/** Text, which saves React a hundred elements per page. */
const SYMBOLS = { __html: Object.entries(SHAPES).map(symbol).join('') };

/** A client component, because the text of a server component would be sent twice. */
export function IconSprite() {
  return (
    <svg
      aria-hidden="true"
      width="0"
      height="0"
      style={{ position: 'absolute' }}
      // biome-ignore lint/security/noDangerouslySetInnerHtml: built from our own shapes only
      dangerouslySetInnerHTML={SYMBOLS}
    />
  );
}
