import { requiredText } from '../argument.ts';
import { MAX_PAGE_BYTES, pageOf, pageSchema } from '../rows.ts';
import { rendered, formOf, tool } from '../tool.ts';

export const executeQueryNextPage = tool({
  name: 'execute_query_next_page',
  title: 'Execute query, next page',
  description:
    'Returns the next rows of a result that execute_query or execute_chart_query began. Pass the QueryMoreCode of the page before, unchanged; query and parameters are not repeated and the query does not run again. Go on until QueryMoreCode is null. A code lives 30 minutes from its last use; the same code gives the same rows again. Not for a streamToken (resume_stream), and not to start a query (execute_query).',
  arguments: { queryMoreCode: requiredText('QueryMoreCode of the page before, copied exactly.') },
  output: pageSchema,
  call: (parts, call, read) => {
    const form = formOf(read, ({ queryMoreCode }) => ({ code: queryMoreCode, maxPageBytes: MAX_PAGE_BYTES }));
    return rendered(parts.continued.nextPage(call, form), pageOf);
  },
});
