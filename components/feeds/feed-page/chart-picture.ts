import { SERIES_DASHES } from './page-frame';

/** Properties of the drawing that come from style sheets and tokens: a picture alone knows neither. */
const DRAWN = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-opacity',
  'stroke-width',
  'stroke-dasharray',
  'font-family',
  'font-size',
  'font-weight',
  'text-anchor',
  'opacity',
];

/** Room for the lines of text above the chart, pixels. */
const TITLE_PX = 46;
const MARGIN_PX = 12;

export type PictureText = {
  /** The feeds that are drawn, with the tone of the line of each; with its line beside it where there are several. */
  readonly lines: readonly { readonly name: string; readonly tone: number }[];
  readonly detail: string;
};

/**
 * The chart as a PNG of twice its size, with its title, in the colours that are on screen. Undefined when the browser can't make one.
 */
export async function chartPicture(svg: SVGSVGElement, text: PictureText): Promise<Blob | undefined> {
  const { width, height } = svg.getBoundingClientRect();
  const image = new Image(width, height);
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(markupOf(svg, width, height))}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = (width + 2 * MARGIN_PX) * 2;
  canvas.height = (height + TITLE_PX + MARGIN_PX) * 2;
  const context = canvas.getContext('2d');
  if (context === null) return undefined;
  const style = getComputedStyle(svg);
  context.scale(2, 2);
  context.fillStyle = style.getPropertyValue('--ks-surface');
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.textBaseline = 'top';
  writeHead(context, text, { family: style.fontFamily, colorOf: (token) => style.getPropertyValue(token) });
  context.drawImage(image, MARGIN_PX, TITLE_PX, width, height);
  return new Promise((resolve) => canvas.toBlob((blob) => resolve(blob ?? undefined), 'image/png'));
}

const SAMPLE_PX = 24;
const SAMPLE_GAP_PX = 6;
const NAME_GAP_PX = 18;
const TITLE_MIDDLE_PX = 16;

/** The part of a canvas that writes the head of a picture. */
type Pen = Pick<
  CanvasRenderingContext2D,
  | 'fillStyle'
  | 'strokeStyle'
  | 'lineWidth'
  | 'font'
  | 'fillText'
  | 'measureText'
  | 'setLineDash'
  | 'beginPath'
  | 'moveTo'
  | 'lineTo'
  | 'stroke'
>;

/** Writes which feeds the picture shows, a sample of the line of each, and the detail below. */
export function writeHead(
  pen: Pen,
  { lines, detail }: PictureText,
  { family, colorOf }: { family: string; colorOf: (token: string) => string },
): void {
  pen.font = `600 15px ${family}`;
  let x = MARGIN_PX;
  for (const { name, tone } of lines) {
    if (lines.length > 1) {
      pen.strokeStyle = colorOf(`--ks-series-${tone}`);
      drawSample(pen, x, tone);
      x += SAMPLE_PX + SAMPLE_GAP_PX;
    }
    pen.fillStyle = colorOf('--ks-text');
    pen.fillText(name, x, 8);
    x += pen.measureText(name).width + NAME_GAP_PX;
  }
  pen.fillStyle = colorOf('--ks-text-soft');
  pen.font = `11px ${family}`;
  pen.fillText(detail, MARGIN_PX, 28);
}

function drawSample(pen: Pen, x: number, tone: number): void {
  pen.lineWidth = 2;
  pen.setLineDash([...(SERIES_DASHES[tone] ?? [])]);
  pen.beginPath();
  pen.moveTo(x, TITLE_MIDDLE_PX);
  pen.lineTo(x + SAMPLE_PX, TITLE_MIDDLE_PX);
  pen.stroke();
  pen.setLineDash([]);
}

function markupOf(svg: SVGSVGElement, width: number, height: number): string {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const originals = svg.querySelectorAll('*');
  copy.querySelectorAll('*').forEach((element, at) => {
    const original = originals[at];
    if (original === undefined) return;
    const style = getComputedStyle(original);
    for (const name of DRAWN) element.setAttribute(name, style.getPropertyValue(name));
    element.removeAttribute('style');
    element.removeAttribute('class');
  });
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copy.setAttribute('width', String(width));
  copy.setAttribute('height', String(height));
  copy.removeAttribute('style');
  return new XMLSerializer().serializeToString(copy);
}
