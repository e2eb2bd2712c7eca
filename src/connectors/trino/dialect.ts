import { type SqlDialect, standardSql } from '../../catalog/sql-dialect.ts';
import { type ChoiceSyntax, standardChoices } from '../connector.ts';

export const dialect: SqlDialect = { ...standardSql, name: 'trino', quotes: `'"\``, lineComment: /--[^\n\r]*/y };

export const choices: ChoiceSyntax = { ...standardChoices, keepsOrder: false };
