import type { ReactNode } from 'react';

type Props = { title: string; text: string; detail?: string | undefined; children?: ReactNode };

/** Page with only a message and links. Uses no library, since a library may be what failed. */
export function PageMessage({ title, text, detail, children }: Props) {
  return (
    <div style={{ maxWidth: '40rem', margin: '12vh auto', paddingInline: 16 }}>
      <h1 style={{ fontSize: 'var(--ks-size-xl)' }}>{title}</h1>
      <p style={{ marginBlock: 12 }}>{text}</p>
      {detail === undefined ? null : <p style={{ color: 'var(--ks-text-faint)' }}>{detail}</p>}
      <div style={{ display: 'flex', flexWrap: 'wrap', gap: 12, marginBlockStart: 24 }}>{children}</div>
    </div>
  );
}
