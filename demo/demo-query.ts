import type { QueryDefinition, QueryLabels } from '../src/catalog/query.ts';

/**
 * A query on the demo database, open to every role.
 * The queries of choices are named by their display name.
 * The default of a required parameter is what a form shows at first; callers still have to send it.
 */
export type DemoQuery = Omit<QueryDefinition, 'databaseId'> & Pick<QueryLabels, 'description' | 'tip' | 'tags' | 'aiAccess'>;
