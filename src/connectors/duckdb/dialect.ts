import { postgresSql, type SqlDialect } from '../../catalog/sql-dialect.ts';
import { type ChoiceSyntax, standardChoices } from '../connector.ts';

export const dialect: SqlDialect = { ...postgresSql, name: 'duckdb', keywords: 'standard' };

export const choices: ChoiceSyntax = { ...standardChoices, contains: (text, part) => `contains(${text}, ${part})` };
