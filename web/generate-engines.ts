import type { EngineDescription } from '../src/catalog/engine.ts';
import { engines } from '../src/connectors/engines.ts';

/** The text of app/engines.ts: the engines without their code, which needs drivers and does not run in a browser. */
export const engineDescriptions =
  (): string => `// Generated from src/connectors/engines.ts by web/generate-api-types.ts. Do not edit.

import type { EngineDescription } from '../../src/catalog/engine.ts';

export const engines: readonly EngineDescription[] = [
${engines.map((engine) => `  ${literal(descriptionOf(engine))},`).join('\n')}
];
`;

const descriptionOf = ({ kind, label, testedOnly, connection, settings, dialect }: EngineDescription): EngineDescription => ({
  ...{ kind, label, connection, settings, dialect },
  ...(testedOnly === undefined ? {} : { testedOnly }),
});

const literal = (value: unknown): string =>
  JSON.stringify(value, (_name, each: unknown) => (each instanceof RegExp ? `RegExp ${each}` : each)).replace(
    /"RegExp (?:[^"\\]|\\.)*"/g,
    (text) => JSON.parse(text).slice('RegExp '.length),
  );
