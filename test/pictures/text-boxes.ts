import { textWidth } from '../../src/charts/text-width.ts';

type Corner = readonly [x: number, y: number];

interface TextBox {
  readonly text: string;
  readonly fontSize: number;
  readonly corners: readonly Corner[]; // from the upper left, clockwise, as turned
}

/** Defects of the texts in an SVG: smaller than 11 px, outside the picture, or on top of each other. */
export function textDefects(svg: string): readonly string[] {
  const boxes = textBoxes(svg);
  const [width, height] = [/ width="(\d+)"/, / height="(\d+)"/].map((size) => Number(size.exec(svg)?.[1]));
  const isOutside = ([x, y]: Corner): boolean => x < -1 || y < -1 || x > (width ?? 0) + 1 || y > (height ?? 0) + 1;
  return boxes.flatMap((box, index) => [
    ...(box.fontSize < 11 ? [`${box.text} is smaller than 11 px`] : []),
    ...(box.corners.some(isOutside) ? [`${box.text} is outside`] : []),
    ...boxes.slice(0, index).flatMap((other) => (isApart(box, other) ? [] : [`${box.text} is on ${other.text}`])),
  ]);
}

function textBoxes(svg: string): readonly TextBox[] {
  const found = [...svg.matchAll(/<text([^>]*)>([^<]*)/g)].map(([, attributes = '', content = '']): TextBox => {
    const attribute = (name: string): string => new RegExp(` ${name}="([^"]*)"`).exec(attributes)?.[1] ?? '';
    const fontSize = Number.parseFloat(attribute('font-size') || '12');
    const text = content.replace(/&\w+;/g, '&');
    const width = textWidth(text, fontSize);
    const left = Number(attribute('x')) - width * ({ middle: 0.5, end: 1 }[attribute('text-anchor')] ?? 0);
    const top = Number(attribute('y')) - fontSize * (attribute('dominant-baseline') === 'central' ? 0.4 : 0.78);
    const [right, bottom] = [left + width, top + fontSize * 0.8]; // the height of capitals
    const corners: readonly Corner[] = [
      [left, top],
      [right, top],
      [right, bottom],
      [left, bottom],
    ];
    return { text, fontSize, corners: corners.map(parseTransform(attribute('transform'))) };
  });
  return found.filter(({ text }) => text.trim() !== '');
}

/** ECharts writes `translate(x y)`, or a matrix if the text is turned. */
function parseTransform(transform: string): (corner: Corner) => Corner {
  const numbers = transform
    .replace(/^\w+\(|\)$/g, '')
    .split(/[ ,]+/)
    .map(Number);
  const [a = 1, b = 0, c = 0, d = 1, x = 0, y = 0] = transform.startsWith('matrix') ? numbers : [1, 0, 0, 1, ...numbers];
  return ([left, top]) => [a * left + c * top + x, b * left + d * top + y];
}

/** Two rectangles are apart if a line along an edge of one of them separates them. */
function isApart(one: TextBox, other: TextBox): boolean {
  return [one, other].some(({ corners }) =>
    corners.some(([x, y], index) => {
      const [nextX, nextY] = corners[(index + 1) % corners.length] ?? [x, y];
      const length = Math.hypot(nextX - x, nextY - y) || 1;
      const across = ({ corners: all }: TextBox) => all.map((each) => (each[0] * (nextY - y) + each[1] * (x - nextX)) / length);
      return Math.max(...across(one)) < Math.min(...across(other)) || Math.max(...across(other)) < Math.min(...across(one));
    }),
  );
}
