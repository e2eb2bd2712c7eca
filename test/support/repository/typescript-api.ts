import { registerHooks } from 'node:module';

/** Loaded with `node --import`. openapi-typescript uses the API of the compiler, which TypeScript 7 does not have. */
const api = import.meta.resolve('@typescript/typescript6');
registerHooks({ resolve: (specifier, context, next) => next(specifier === 'typescript' ? api : specifier, context) });
