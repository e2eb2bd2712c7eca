import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pngOf } from '../../src/drawing/png-of.ts';
import { keptAsPictures, keptAsStructures, keptPicturePath, keptStructures, structureOf, svgOf } from './compare.ts';

// Draws the reference pictures of pictures.test.ts. Review changed pictures before committing them.
const folder = dirname(keptStructures);
mkdirSync(folder, { recursive: true });
for (const file of readdirSync(folder)) rmSync(join(folder, file));
for (const each of keptAsPictures) writeFileSync(keptPicturePath(each.name), pngOf(svgOf(each), 1));
const structures = Object.fromEntries(keptAsStructures.map((each) => [each.name, structureOf(svgOf(each))]));
writeFileSync(keptStructures, `${JSON.stringify(structures, null, 1)}\n`);
