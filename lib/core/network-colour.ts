/**
 * Hues 15 degrees apart in three lightnesses: 54 colours that can be told apart beside a name. The hues of states (red to
 * amber, green) are left out.
 */
const HUES = [60, 75, 90, 105, 120, 135, 165, 180, 195, 210, 225, 240, 255, 270, 285, 300, 315, 330];
const LIGHTNESSES = [36, 48, 60];

// Found by search: no two built-in main networks get neighbouring colours.
const FACTOR = 1717;
const START = 114;
const MODULUS = 99_991;

/** @param networkId decimal digits */
export function networkColour(networkId: string): string {
  let hash = START;
  for (const digit of networkId) hash = (hash * FACTOR + digit.charCodeAt(0)) % MODULUS;
  const slot = hash % (HUES.length * LIGHTNESSES.length);
  const hue = HUES[slot % HUES.length];
  return `hsl(${hue} 62% ${LIGHTNESSES[Math.floor(slot / HUES.length)]}%)`;
}
