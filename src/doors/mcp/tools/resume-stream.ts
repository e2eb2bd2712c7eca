import { requiredText } from '../argument.ts';
import { chunkOf, chunkSchema, MAX_PAGE_BYTES } from '../rows.ts';
import { rendered, formOf, tool } from '../tool.ts';

export const resumeStream = tool({
  name: 'resume_stream',
  title: 'Resume stream',
  description:
    'Returns the next chunk of a stream started by start_stream. Pass the streamToken of the previous chunk unchanged, until it is null. The call may wait until the database has delivered the rows. The same token returns the same rows again; it expires 30 minutes after its last use. Not for a QueryMoreCode (execute_query_next_page).',
  arguments: { streamToken: requiredText('streamToken of the previous chunk, copied exactly.') },
  output: chunkSchema,
  call: (parts, call, read) => {
    const form = formOf(read, ({ streamToken }) => ({ code: streamToken, maxPageBytes: MAX_PAGE_BYTES }));
    return rendered(parts.continued.nextChunk(call, form), chunkOf);
  },
});
