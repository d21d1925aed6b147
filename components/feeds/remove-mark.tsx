/** A plain ×, for buttons that take something away. */
export function RemoveMark() {
  return (
    <svg
      aria-hidden="true"
      width="12"
      height="12"
      viewBox="0 0 12 12"
      stroke="currentColor"
      strokeWidth="1.5"
    >
      <path d="m2.5 2.5 7 7m0-7-7 7" strokeLinecap="round" />
    </svg>
  );
}
