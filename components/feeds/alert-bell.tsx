/** A bell; filled while an alert is raised, so that it is told by its shape too. */
export function AlertBell({ look }: { look: 'none' | 'set' | 'raised' }) {
  return (
    <svg
      aria-hidden="true"
      width="14"
      height="14"
      viewBox="0 0 14 14"
      fill={look === 'raised' ? 'currentColor' : 'none'}
      stroke="currentColor"
      strokeWidth="1.3"
      strokeLinejoin="round"
      strokeLinecap="round"
    >
      <path d="M2.5 10.5h9c-.9-.9-1.2-1.9-1.2-4.2a3.3 3.3 0 0 0-6.6 0c0 2.3-.3 3.3-1.2 4.2Z" />
      <path d="M5.8 12.4h2.4" fill="none" />
      {look === 'set' ? <circle cx="7" cy="6.8" r="1.2" fill="currentColor" stroke="none" /> : null}
    </svg>
  );
}
