// The whole C surface of the native core. cffi reads this file: no directives here.
//
// Every call that can fail returns a status, 0 for success; golois_last_error() then has the text, for this thread.
// Handles belong to one thread at a time. Buffers belong to the caller; capacities count elements.
// Points are 0 … n·n−1 row-major, row 0 at the top, n·n a pass; colours 0 empty, 1 Black, 2 White.

int32_t golois_abi_version(void);
const char *golois_last_error(void);

// ---- board ------------------------------------------------------------------------------------------------------------

typedef struct golois_board golois_board;

golois_board *golois_board_create(int32_t size);  // NULL on failure
golois_board *golois_board_clone(const golois_board *board);
void golois_board_destroy(golois_board *board);
int32_t golois_board_size(const golois_board *board);
int32_t golois_board_to_play(const golois_board *board);
int32_t golois_board_num_moves(const golois_board *board);
int32_t golois_board_ko_point(const golois_board *board);  // -1 if there is none
uint64_t golois_board_key(const golois_board *board);
bool golois_board_is_consistent(const golois_board *board);
// Why a move is illegal: 0 legal, 1 out of range, 2 occupied, 3 suicide, 4 ko, 5 superko.
int32_t golois_board_legality(const golois_board *board, int32_t point, int32_t colour);
// The same code; the board changes only where it is 0.
int32_t golois_board_play(golois_board *board, int32_t point, int32_t colour);
void golois_board_play_unchecked(golois_board *board, int32_t point, int32_t colour);
// Each writes one element a point; legal_moves one more, for the pass.
int32_t golois_board_stones(const golois_board *board, uint8_t *colours, int64_t capacity);
int32_t golois_board_num_liberties(const golois_board *board, int16_t *num_liberties, int64_t capacity);
int32_t golois_board_legal_moves(const golois_board *board, int32_t colour, uint8_t *is_legal, int64_t capacity);
// Tromp–Taylor: 1 and 2 where a colour's stones are or alone are reached, else 0.
int32_t golois_board_area(const golois_board *board, uint8_t *owners, int64_t capacity);
// The 31 planes of a 19×19 board as symmetry 0 … 7 shows it: float32 [19, 19, 31].
int32_t golois_board_planes(const golois_board *board, double komi, int32_t symmetry, float *planes, int64_t capacity);

// ---- symmetry ---------------------------------------------------------------------------------------------------------

// The point that each symmetry moves each point to: int16 [8, 361].
int32_t golois_symmetry_table(int16_t *points, int64_t capacity);

// ---- search -----------------------------------------------------------------------------------------------------------

typedef struct golois_tree golois_tree;

// Fields as in golois.search.SearchOptions.
typedef struct {
  double komi, c_puct, c_puct_log, c_puct_base, fpu_reduction, virtual_loss;
  uint64_t seed;
  bool random_symmetry;
} golois_search_options;

// The tree copies the board. NULL on failure.
golois_tree *golois_tree_create(const golois_board *root, const golois_search_options *options);
void golois_tree_destroy(golois_tree *tree);
// Writes num_leaves × [19, 19, 31] planes; room for max_leaves of them must be there.
int32_t golois_tree_select(golois_tree *tree, int32_t max_leaves, float *planes, int32_t *num_leaves);
int32_t golois_tree_apply(golois_tree *tree, const float *policy, const float *value_white, int32_t num_leaves);
int32_t golois_tree_advance(golois_tree *tree, int32_t point);
int32_t golois_tree_num_visits(const golois_tree *tree);
double golois_tree_root_value_to_play(const golois_tree *tree);
int32_t golois_tree_root_visits(const golois_tree *tree, int32_t *num_visits, int64_t capacity);
int32_t golois_tree_best_move(const golois_tree *tree, int32_t *point);
