/** The data is not here: it was moved to another database, or a move was interrupted. The message says where it is, and what to do. */
export class DataMoved extends Error {
  override readonly name = "DataMoved";
}
