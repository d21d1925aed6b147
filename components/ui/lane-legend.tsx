import type { LaneItem } from './lane-layout';
import { GAP_SHAPE, LANE_SHAPES, type LaneShape, OVERTAKEN_SHAPE, TWIN_SHAPE } from './lane-shapes';
import classes from './lane-strip.module.css';
import { kindCounts, LANE_KINDS, LANE_LABELS, type LaneText } from './lane-words';

/** What the shapes mean, with counts; only those that the strip has. */
export function LaneLegend({
  items,
  figures,
  text,
}: {
  items: readonly LaneItem[];
  figures: { missingNumbers: string; overtaken: number; twins: number };
  text: LaneText;
}) {
  const counts = kindCounts(items);
  const kinds = LANE_KINDS.filter((kind) => counts.has(kind)).map((kind) => ({
    label: LANE_LABELS[kind],
    shape: kind === 'gap' ? GAP_SHAPE : LANE_SHAPES[kind],
    count: kind === 'gap' ? figures.missingNumbers : String(counts.get(kind)),
  }));
  const besides = [
    { label: 'Overtaken', shape: OVERTAKEN_SHAPE, count: String(figures.overtaken) },
    { label: 'Twins', shape: TWIN_SHAPE, count: String(figures.twins) },
  ].filter(({ count }) => count !== '0');
  return (
    <ul className={classes.legend} aria-hidden="true">
      {[...kinds, ...besides].map(({ label, shape, count }) => (
        <li key={label}>
          <Shape shape={shape} /> {label} <span className="num">{text.number(count)}</span>
        </li>
      ))}
    </ul>
  );
}

function Shape({ shape }: { shape: LaneShape }) {
  const colour = `var(${shape.token})`;
  return (
    <svg aria-hidden="true" width="14" height="14" viewBox="-7 -7 14 14" className={classes.shape}>
      <path
        d={shape.path}
        fill={shape.fill === 'full' ? colour : 'none'}
        stroke={shape.fill === 'full' ? 'none' : colour}
      />
    </svg>
  );
}
