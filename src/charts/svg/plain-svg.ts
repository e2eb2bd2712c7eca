/**
 * Removes hover styles, classes and hydration marks that ECharts writes, and converts styles to attributes, so that the picture
 * works under a policy without inline styles.
 */
export function simplifySvg(svg: string): string {
  return svg
    .replace(/<style\b[\s\S]*?<\/style>\s*/g, '')
    .replace(
      /<([a-z]+)(\s[^<>]*?)(\/?)>/gi,
      (_, name: string, attributes: string, end: string) => `<${name}${simplifyAttributes(attributes)}${end}>`,
    )
    .replace(/><\/(?:path|rect|circle|image|use|stop)>/g, '/>');
}

const simplifyAttributes = (attributes: string): string =>
  attributes
    .replace(/\s(?:class|ecmeta_[a-z_]+|pointer-events)="[^"]*"/g, '')
    .replace(/\sstyle="([^"]*)"/g, (_, style: string) => asAttributes(style))
    .replace(/\b(id="|url\(#|href="#)zr\d+-/g, '$1zr-'); // zrender numbers all charts of the process

function asAttributes(style: string): string {
  const declared = style.split(';').flatMap((declaration) => {
    const [property, value] = declaration.split(/:\s*/, 2);
    if (!property || !value) return [];
    return property.trim() === 'font' ? fontParts(value) : [[property.trim(), value.trim()] as const];
  });
  return declared.map(([property, value]) => ` ${property}="${value}"`).join('');
}

/** `normal 600 12px Inter, …` */
function fontParts(font: string): readonly (readonly [property: string, value: string])[] {
  const match = /^(\S+) (\S+) (\S+px) (.+)$/.exec(font);
  if (!match) return [];
  const [, style = '', weight = '', size = '', family = ''] = match;
  const said: readonly (readonly [string, string])[] = [
    ['font-style', style],
    ['font-weight', weight],
  ];
  return [...said.filter(([, value]) => value !== 'normal'), ['font-size', size], ['font-family', family]];
}
