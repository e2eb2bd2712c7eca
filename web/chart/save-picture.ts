import { saveFile } from '../components/save-file.ts';
import type { InteractiveChart } from './interactive-chart.ts';

export function saveSvg(chart: InteractiveChart, title: string): void {
  saveFile(new Blob([chart.svg()], { type: 'image/svg+xml' }), fileName(title, 'svg'));
}

/** At twice the displayed resolution. */
export async function savePng(chart: InteractiveChart, title: string): Promise<void> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(chart.svg())}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = image.naturalWidth * 2;
  canvas.height = image.naturalHeight * 2;
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('This browser cannot draw on a canvas.');
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (blob === null) throw new Error('This browser cannot write PNG files.');
  saveFile(blob, fileName(title, 'png'));
}

const fileName = (title: string, extension: string): string => {
  const name = title.replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/g, '');
  return `${[...name].slice(0, 60).join('') || 'chart'}.${extension}`;
};
