import { postgresSql } from '../../catalog/sql-dialect.ts';
import { type ChoiceSyntax, standardChoices } from '../connector.ts';

export const dialect = postgresSql;

// other collations have their own lower case, or do not allow searching
export const choices: ChoiceSyntax = { ...standardChoices, toText: (column) => `(cast(${column} as text) collate "C")` };
