import type { ReactNode } from 'react';

type Props = { title: string; text: string; detail?: ReactNode; children?: ReactNode };

/** Uses no library, because a library may be what failed. */
export function PageMessage({ title, text, detail, children }: Props) {
  return (
    <div className="page" style={{ maxWidth: '40rem', marginBlock: '12vh', overflowWrap: 'anywhere' }}>
      <h1 style={{ fontSize: 'var(--ks-size-xl)' }}>{title}</h1>
      <p>{text}</p>
      {detail === undefined ? null : <p style={{ color: 'var(--ks-text-faint)' }}>{detail}</p>}
      <div style={{ display: 'flex', flexWrap: 'wrap', gap: 12 }}>{children}</div>
    </div>
  );
}
