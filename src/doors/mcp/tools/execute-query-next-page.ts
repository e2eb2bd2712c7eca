import { requiredText } from '../argument.ts';
import { MAX_PAGE_BYTES, pageOf, pageSchema } from '../rows.ts';
import { rendered, formOf, tool } from '../tool.ts';

export const executeQueryNextPage = tool({
  name: 'execute_query_next_page',
  title: 'Execute query, next page',
  description:
    'Returns the next rows of a result of execute_query or execute_chart_query. Pass the QueryMoreCode of the previous page unchanged; do not repeat the query and its parameters, and the query does not run again. Continue until QueryMoreCode is null. A code expires 30 minutes after its last use; the same code returns the same rows again. Not for a streamToken (resume_stream), and not to start a query (execute_query).',
  arguments: { queryMoreCode: requiredText('QueryMoreCode of the previous page, copied exactly.') },
  output: pageSchema,
  call: (parts, call, read) => {
    const form = formOf(read, ({ queryMoreCode }) => ({ code: queryMoreCode, maxPageBytes: MAX_PAGE_BYTES }));
    return rendered(parts.continued.nextPage(call, form), pageOf);
  },
});
