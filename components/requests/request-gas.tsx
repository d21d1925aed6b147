'use client';
import { clipped } from '@/lib/client/foreign-text';
import { groupDigitsBriefly } from '@/lib/client/human-number';
import type { ListedRecord } from '@/lib/client/related-requests';
import { type GasBar, type GasBars, gasBars } from '@/lib/domain/gas';
import drawn from './request-bars.module.css';
import classes from './request-content.module.css';
import { Field, Fields, TextField } from './request-field';
import { Section } from './request-section';

/** Gas limit, gas of the callback and of the whole reveal, as exact figures and as bars on one scale. */
export function RequestGas({ record }: { record: ListedRecord }) {
  const { gasLimit, state } = record;
  const used = state.kind === 'completed' ? state : undefined;
  const bars = gasBars({ gasLimit, gasUsed: used?.gasUsed, callbackGasUsed: used?.callbackGasUsed });
  return (
    <Section title="Gas">
      <Fields>
        <GasField name="Gas limit" bar={bars.limit} />
        {used === undefined ? null : (
          <>
            <GasField name="Callback gas used" bar={bars.callback} of="of the limit" />
            <GasField name="Gas used" bar={bars.transaction} of="of the limit, for the whole reveal" />
          </>
        )}
      </Fields>
      {used === undefined ? null : <Bars bars={bars} />}
    </Section>
  );
}

function GasField({ name, bar, of }: { name: string; bar: GasBar | undefined; of?: string }) {
  if (bar === undefined) return <TextField name={name} value={undefined} />;
  return (
    <Field name={name} copied={bar.digits}>
      <span className="num">{clipped(groupDigitsBriefly(bar.digits), 100)}</span>
      {of === undefined || bar.percent === undefined ? null : (
        <span className={classes.soft}>
          {' '}
          · <span className="num">{clipped(bar.percent, 90)} %</span> {of}
        </span>
      )}
    </Field>
  );
}

/** The figures above as lengths; the mark is the limit. Nothing is drawn without a limit to compare with. */
function Bars({ bars: { limit, callback, transaction } }: { bars: GasBars }) {
  if (limit === undefined || (callback === undefined && transaction === undefined)) return null;
  const rows = [
    { name: 'callback', bar: callback },
    { name: 'transaction', bar: transaction },
  ];
  return (
    <div className={drawn.bars} aria-hidden="true">
      {rows.map(({ name, bar }) =>
        bar === undefined ? null : (
          <div key={name} className={drawn.track}>
            <div className={drawn.bar} data-of={name} style={{ width: percent(bar.length) }} />
          </div>
        ),
      )}
      <div className={drawn.limitMark} style={{ insetInlineStart: percent(limit.length) }} />
    </div>
  );
}

function percent(length: number): string {
  return `${(length * 100).toFixed(2)}%`;
}
