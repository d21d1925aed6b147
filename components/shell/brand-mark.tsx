/** The mark of the product; the name stands beside it. */
export function BrandMark() {
  return (
    <svg aria-hidden="true" width="22" height="22" viewBox="0 0 32 32">
      <rect width="32" height="32" rx="7" fill="#2a54cc" />
      <circle cx="16" cy="16" r="8.5" fill="none" stroke="#fff" strokeWidth="2.6" />
      <path
        d="M16 3.5v6M16 22.5v6M3.5 16h6M22.5 16h6"
        stroke="#fff"
        strokeWidth="2.6"
        strokeLinecap="round"
      />
      <circle cx="16" cy="16" r="2.6" fill="#ffc53d" />
    </svg>
  );
}
