import { type SqlDialect, standardSql } from '../../catalog/sql-dialect.ts';
import { type ChoiceSyntax, standardChoices } from '../connector.ts';

export const dialect: SqlDialect = { ...standardSql, name: 'sqlite', keywords: 'sqlite', quotes: `'"\``, brackets: 'plain' };

export const choices: ChoiceSyntax = { ...standardChoices, contains: (text, part) => `instr(${text}, ${part}) > 0` };
