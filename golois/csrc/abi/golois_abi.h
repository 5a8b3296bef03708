// The whole C surface of the native core. cffi reads this file: no directives here.
//
// Every call that can fail returns a status: 0 for success, 2 for a damaged packed file, else 1;
// golois_last_error() then has the text, for this thread.
// Handles belong to one thread at a time. Buffers belong to the caller; capacities count elements.
// Points are 0 … n·n−1 row-major, row 0 at the top, n·n a pass; colours 0 empty, 1 Black, 2 White.

int32_t golois_abi_version(void);
const char *golois_last_error(void);

// ---- board ------------------------------------------------------------------------------------

typedef struct golois_board golois_board;

golois_board *golois_board_create(int32_t size);  // NULL on failure
golois_board *golois_board_clone(const golois_board *board);
void golois_board_destroy(golois_board *board);
int32_t golois_board_size(const golois_board *board);
int32_t golois_board_to_play(const golois_board *board);
void golois_board_set_to_play(golois_board *board, int32_t colour);
int32_t golois_board_num_moves(const golois_board *board);
int32_t golois_board_ko_point(const golois_board *board);  // -1 if there is none
uint64_t golois_board_key(const golois_board *board);
bool golois_board_is_consistent(const golois_board *board);
// Why a move is illegal: 0 legal, 1 out of range, 2 occupied, 3 suicide, 4 ko, 5 superko.
int32_t golois_board_legality(const golois_board *board, int32_t point, int32_t colour);
// The same code, or -1 on failure; the board changes only where it is 0.
int32_t golois_board_play(golois_board *board, int32_t point, int32_t colour);
int32_t golois_board_play_unchecked(golois_board *board, int32_t point, int32_t colour);
// Each writes one element a point; legal_moves one more, for the pass.
int32_t golois_board_stones(const golois_board *board, uint8_t *colours, int64_t capacity);
int32_t golois_board_num_liberties(const golois_board *board, int16_t *num_liberties,
                                   int64_t capacity);
int32_t golois_board_legal_moves(const golois_board *board, int32_t colour, uint8_t *is_legal,
                                 int64_t capacity);
// The area that the score counts: 1 and 2 where a point is a colour's, else 0.
int32_t golois_board_area(const golois_board *board, uint8_t *owners, int64_t capacity);
// The same for the points that a colour keeps even if it never answers.
int32_t golois_board_settled(const golois_board *board, uint8_t *owners, int64_t capacity);
// The course's 31 planes as symmetry 0 … 7 shows the board: float32 [n, n, 31].
int32_t golois_board_planes(const golois_board *board, double komi, int32_t symmetry, float *planes,
                            int64_t capacity);

// ---- symmetry ---------------------------------------------------------------------------------

// The point that each symmetry moves each point of a board to: int16 [8, n·n].
int32_t golois_symmetry_table(int32_t size, int16_t *points, int64_t capacity);

// ---- games ------------------------------------------------------------------------------------

typedef struct golois_game golois_game;

// Planes are [size, size, num_planes]; the policy has a number a point, and one for the pass where
// it is one longer. Of 2 symmetries the other one is the half turn, 3.
typedef struct {
  int32_t size, num_planes, policy_size, num_symmetries;
} golois_game_shape;

// Each makes a game at its start; NULL on failure. Fields as in golois.games.game. The planes are
// those of the game, or zero's; of Go 0 the course's, 1 zero's, 2 KataGo's.
golois_game *golois_go_create(int32_t size, double komi, bool has_free_passes, int32_t max_moves,
                              int32_t planes);
golois_game *golois_go_from_board(const golois_board *board, double komi, bool has_free_passes,
                                  int32_t max_moves, int32_t planes);
golois_game *golois_nogo_create(int32_t size, bool zero_planes);
golois_game *golois_hex_create(int32_t size, bool has_swap);
golois_game *golois_game_clone(const golois_game *game);
void golois_game_destroy(golois_game *game);
golois_game_shape golois_game_get_shape(const golois_game *game);
int32_t golois_game_to_play(const golois_game *game);
int32_t golois_game_num_moves(const golois_game *game);
int32_t golois_game_num_to_take_back(const golois_game *game);
uint64_t golois_game_key(const golois_game *game);
bool golois_game_is_over(const golois_game *game);
double golois_game_outcome_white(const golois_game *game);  // of a game that is over: 0, 0.5 or 1
// As golois_board_legality; 6 a capture in NoGo, 7 a pass where there is none. It doesn't ask
// whether the game is over.
int32_t golois_game_legality(const golois_game *game, int32_t move);
// Plays a legal move, unchecked.
int32_t golois_game_play(golois_game *game, int32_t move);
// Takes back one of golois_game_num_to_take_back() moves, unchecked.
int32_t golois_game_take_back(golois_game *game);
int32_t golois_game_stones(const golois_game *game, uint8_t *colours, int64_t capacity);
// One element a point and one for the pass; none is set once the game is over.
int32_t golois_game_legal_moves(const golois_game *game, uint8_t *is_legal, int64_t capacity);
int32_t golois_game_candidates(const golois_game *game, uint8_t *is_candidate, int64_t capacity);
int32_t golois_game_planes(const golois_game *game, int32_t symmetry, float *planes,
                           int64_t capacity);
// A copy of the position of Go or NoGo; NULL on failure.
golois_board *golois_game_board(const golois_game *game);
// The moves that win by force, in NoGo and Hex; one element a point and one for the pass.
int32_t golois_game_winning_moves(const golois_game *game, int64_t max_positions, uint8_t *wins,
                                  int64_t capacity);
// The move of UCT with so many random games (1 or more), in NoGo and Hex.
int32_t golois_game_rollout_move(const golois_game *game, int64_t num_playouts, uint64_t seed,
                                 int32_t *move);

// ---- records ----------------------------------------------------------------------------------

// Which game a packed file holds: 0 Go, 1 NoGo, 2 Hex. Only Go can have a pass in its policy, and
// only Hex a swap.
typedef struct {
  int32_t kind, size;
  bool has_pass, has_swap;
} golois_game_type;

// Where the sections of a packed file lie (data/README.md), and their checksums.
typedef struct {
  uint64_t num_games, num_words, num_positions;
  uint64_t words_offset, games_offset, provenance_offset, file_size;
  uint32_t words_crc, games_crc, provenance_crc, targets_crc;
  uint64_t targets_offset, num_target_words;  // 0 in a file without targets
  golois_game_type game;
  uint64_t ladders_offset;  // 0 in a file without ladders, as the next two
  uint32_t num_ladder_words, ladders_crc;
  bool has_many_texts;  // above 65,536: rows use text_high
  uint64_t ownership_offset;  // 0 in a file without ownership
  uint32_t ownership_crc;
} golois_file_layout;

// A view of a packed file; its bytes must outlive it. It is never changed: several threads may read
// it.
typedef struct golois_packed_file golois_packed_file;

// NULL on failure
golois_packed_file *golois_packed_file_open(const uint8_t *bytes, int64_t num_bytes);
void golois_packed_file_close(golois_packed_file *file);
golois_file_layout golois_packed_file_layout(const golois_packed_file *file);
// Writes the header of a file with this layout: 128 bytes.
int32_t golois_packed_file_header(const golois_file_layout *layout, uint8_t *header,
                                  int64_t capacity);
// Writes one element a move: value_hundredths is P(White wins) in hundredths, 127 where there is
// none.
int32_t golois_packed_file_moves(const golois_packed_file *file, int64_t game, uint16_t *points,
                                 uint8_t *colours, uint8_t *value_hundredths, int64_t capacity);
// The target words of a game (data/README.md), those of one training position after the other; -1
// on failure.
int64_t golois_packed_file_num_target_words(const golois_packed_file *file, int64_t game);
int32_t golois_packed_file_targets(const golois_packed_file *file, int64_t game, uint16_t *words,
                                   int64_t capacity);

// The ladders of some games of a file, found in threads, as ladder words (data/README.md). NULL on
// failure.
typedef struct golois_ladders golois_ladders;
golois_ladders *golois_ladders_find(const golois_packed_file *file, int64_t first_game,
                                    int64_t num_games, int32_t num_threads);
void golois_ladders_destroy(golois_ladders *ladders);
int64_t golois_ladders_num_words(const golois_ladders *ladders);
// Writes how many words each game has, and the words of one game after the other.
int32_t golois_ladders_copy(const golois_ladders *ladders, uint32_t *num_words, int64_t num_games,
                            uint16_t *words, int64_t capacity);

// Reads, replays and packs games; bad games are counted and never an error.
typedef struct golois_importer golois_importer;

// Which games are wanted: without the moves and colours of an earlier game, under any symmetry;
// without handicap and set-up stones in SGF; of players of these ranks, where a rank is not 0.
typedef struct {
  bool drops_duplicates;
  bool drops_handicap;
  int32_t lowest_rank;
  int32_t highest_rank;
} golois_game_filter;
// A rank such as 6d, 12k or 1p as a number that grows with strength, UTF-8; 0 for any other text.
int32_t golois_rank(const char *text);

// The output does not depend on num_threads. NULL on failure.
golois_importer *golois_importer_create(const golois_game_filter *filter, int32_t num_threads);
// The same for what KataGo's analysis engine takes and writes: queries first, then answers, whose
// win rates and leads are of Black (1), White (2) or the side to move (0); shares of moves below
// least_share are dropped. The games come out at golois_importer_finish.
golois_importer *golois_analysis_importer_create(int32_t winrates_of, double least_share,
                                                 int32_t num_threads);
void golois_importer_destroy(golois_importer *importer);
// Location and source are UTF-8; fault is NULL, or why the source could not be read to its end.
int32_t golois_importer_begin_source(golois_importer *importer, const char *location,
                                     const char *source);
int32_t golois_importer_feed(golois_importer *importer, const uint8_t *bytes, int64_t num_bytes);
int32_t golois_importer_end_source(golois_importer *importer, const char *fault);
// Packs the games that waited for all sources to end.
int32_t golois_importer_finish(golois_importer *importer);
// Adds one game; fails where it cannot be packed. Margin, komi and target words as in
// data/README.md.
int32_t golois_importer_add(golois_importer *importer, const uint16_t *points,
                            const uint8_t *colours, const uint8_t *value_hundredths,
                            int64_t num_moves, int32_t komi_quarters, int32_t winner,
                            int32_t margin_halves, bool is_played_out, const char *rules,
                            const char *source, const uint16_t *target_words,
                            int64_t num_target_words);
// Adds one game of any rules, played from a game's start by colours in turn; all games of an
// importer must be of one type. Moves are as in golois_game_play; a position whose value is 127 is
// not trained on. Target words are of each move, with a pass as 361.
int32_t golois_importer_add_finished(golois_importer *importer, const golois_game *start,
                                     const golois_game_type *type, const int32_t *moves,
                                     const uint8_t *value_hundredths, int64_t num_moves,
                                     int32_t komi_quarters, int32_t winner, int32_t margin_halves,
                                     const uint16_t *target_words, int64_t num_target_words);
// Words are kept until they are taken, all at once; rows stay.
int64_t golois_importer_num_words(const golois_importer *importer);
int32_t golois_importer_take_words(golois_importer *importer, uint16_t *words, int64_t capacity);
int64_t golois_importer_num_games(const golois_importer *importer);
uint64_t golois_importer_num_positions(const golois_importer *importer);
// Writes 32 bytes a game.
int32_t golois_importer_rows(const golois_importer *importer, uint8_t *rows, int64_t capacity);
// The targets' index, one number a training position, and their words; there is no number where
// there are no words.
int64_t golois_importer_num_target_words(const golois_importer *importer);
int32_t golois_importer_target_index(const golois_importer *importer, uint32_t *index,
                                     int64_t capacity);
int32_t golois_importer_target_words(const golois_importer *importer, uint16_t *words,
                                     int64_t capacity);
// Texts belong to the importer until its next call. Indices past the end give NULL.
const char *golois_importer_rules(const golois_importer *importer, int64_t text);
const char *golois_importer_source(const golois_importer *importer, int64_t text);
const char *golois_importer_report(const golois_importer *importer, int64_t index);
// Games of one reason and cause, and where the first of them is; the texts belong to the importer
// until its next call.
typedef struct {
  const char *reason, *cause, *example;
  uint64_t num_games;
} golois_tally_entry;
// Writes the drops, and what was taken to be meant in the games that are packed; false past the
// end.
bool golois_importer_drop(const golois_importer *importer, int64_t index,
                          golois_tally_entry *entry);
bool golois_importer_assumption(const golois_importer *importer, int64_t index,
                                golois_tally_entry *entry);
const char *golois_drop_reason(int32_t reason);
uint64_t golois_importer_num_dropped(const golois_importer *importer, int32_t reason);

// ---- one game of SGF --------------------------------------------------------------------------

typedef struct golois_sgf_game golois_sgf_game;

// Reads the first game tree of a text, on 19×19 points; it replays nothing. NULL on failure.
golois_sgf_game *golois_sgf_read(const uint8_t *bytes, int64_t num_bytes);
void golois_sgf_destroy(golois_sgf_game *game);
// Whose turn it is after the last move, as PL says it; 0 where it does not.
int32_t golois_sgf_to_play(const golois_sgf_game *game);
int32_t golois_sgf_komi_quarters(const golois_sgf_game *game);  // as in data/README.md
int64_t golois_sgf_num_moves(const golois_sgf_game *game);
// Writes one element a move; is_set_up is 1 for a stone of AB or AW.
int32_t golois_sgf_moves(const golois_sgf_game *game, uint16_t *points, uint8_t *colours,
                         uint8_t *is_set_up, int64_t capacity);
// Texts as bytes, which belong to the game: 0 Black's name, 1 White's, 2 date, 3 result, 4 rules;
// NULL for others.
const char *golois_sgf_text(const golois_sgf_game *game, int32_t which);
// The table of properties: 0 name, 1 kind, 2 type of value of property 0, 1, …; NULL for others.
const char *golois_sgf_property(int64_t index, int32_t column);

// ---- dataset ----------------------------------------------------------------------------------

typedef struct golois_dataset golois_dataset;

// Rows of a packed file, which must outlive it; is_validation has one entry a game. It is never
// changed: several threads may read it. NULL on failure.
golois_dataset *golois_dataset_create(const golois_packed_file *file, const uint8_t *is_validation,
                                      int64_t num_games);
void golois_dataset_destroy(golois_dataset *dataset);
int64_t golois_dataset_num_games(const golois_dataset *dataset, bool validation);
int64_t golois_dataset_num_positions(const golois_dataset *dataset, bool validation);
// Row k is position positions[k] as symmetries[k] shows it; each buffer holds num_rows rows, and
// any but planes may be NULL. Rows of ownership and area are zero, and ownership_known is 0, where
// the last position is no target (a game not played out); with all_ownership every row of ownership
// shows the last stones. planes_format: 0 float32 [19, 19, 31] a row, 1 uint8 of the same shape, 2
// their bits as uint8 [1399], highest bit first; at other sizes and with other planes accordingly.
// plane_set: 0 course and 1 zero of Go, 2 nogo and 1 zero of NoGo, 3 hex of Hex. result_share is of
// the game's result in value_white. Rows of owners have a teacher's ownership, or else the area;
// owners_known is 1 where either is known. Rows of later_values [3] and surprise [2] are NaN where
// they are not known.
int32_t golois_dataset_fill(const golois_dataset *dataset, bool validation,
                            const int64_t *positions, const uint8_t *symmetries, int64_t num_rows,
                            void *planes, int32_t planes_format, int32_t plane_set, float *policy,
                            float *value_white, float result_share, float *ownership,
                            bool all_ownership, float *groups, float *ownership_known, float *area,
                            float *reply, float *played, float *owners, float *owners_known,
                            float *later_values, float *surprise, int32_t num_threads);

// ---- search -----------------------------------------------------------------------------------

typedef struct golois_tree golois_tree;

// Fields as in golois.SearchOptions.
typedef struct {
  double c_puct, c_puct_log, c_puct_base, fpu_reduction, root_fpu_reduction, virtual_loss;
  double root_policy_temperature, root_noise, root_noise_concentration;
  int32_t cache_positions;
  bool random_symmetry;
  uint64_t seed;
} golois_search_options;

// The tree copies the game. NULL on failure.
golois_tree *golois_tree_create(const golois_game *root, const golois_search_options *options);
void golois_tree_destroy(golois_tree *tree);
// Returns the number of leaves, -1 on failure, and writes their planes as in the game's shape, with
// room for max_leaves of them. Every playout begins with first_move, or where PUCT leads it if that
// is -1.
int32_t golois_tree_select(golois_tree *tree, int32_t max_leaves, int32_t first_move,
                           float *planes);
int32_t golois_tree_apply(golois_tree *tree, const float *policy, const float *value_white,
                          int32_t num_leaves);
int32_t golois_tree_advance(golois_tree *tree, int32_t point);
int32_t golois_tree_num_visits(const golois_tree *tree);
int64_t golois_tree_num_cache_hits(const golois_tree *tree);
int32_t golois_tree_num_candidates(const golois_tree *tree);
double golois_tree_root_value_to_play(const golois_tree *tree);
int32_t golois_tree_root_visits(const golois_tree *tree, int32_t *num_visits, int64_t capacity);
// Writes one element a candidate, the most visited first; values are NaN where there is no visit.
int32_t golois_tree_root_moves(const golois_tree *tree, int32_t *points, float *priors,
                               int32_t *num_visits, float *values_to_play, int64_t capacity);
// The most visited line, which begins with first_move unless that is -1; ends after capacity moves
// at the latest.
int32_t golois_tree_principal_variation(const golois_tree *tree, int32_t first_move,
                                        int32_t *points, int64_t capacity, int32_t *num_points);
bool golois_tree_is_consistent(const golois_tree *tree);
int32_t golois_tree_best_move(const golois_tree *tree, int32_t *point);

// Fields as in golois.RaceOptions.
typedef struct {
  int32_t num_considered;
  double c_visit, c_scale;
} golois_race_options;

// Begins a race between the root's moves; noise is NULL, or has n·n+1 numbers. The race ends with
// the root.
int32_t golois_tree_start_race(golois_tree *tree, const golois_race_options *options,
                               const double *noise, int64_t capacity);
// As golois_tree_select, where the race says how playouts begin; num_left of them are left in all.
int32_t golois_tree_select_in_race(golois_tree *tree, int32_t max_leaves, int32_t num_left,
                                   float *planes);
int32_t golois_tree_race_winner(golois_tree *tree, int32_t *point);
// Writes n·n+1 shares, and one value −1 … 1 for the side to move.
int32_t golois_tree_improved_policy(golois_tree *tree, double *shares, int64_t capacity,
                                    double *value_to_play);

// ---- inputs of KataGo's networks --------------------------------------------------------------

// Area scoring on 19×19 points. ko_rule: 0 positional, 1 situational, 2 simple. pass_alive is a
// flag of the network's file.
typedef struct {
  double komi;
  int32_t ko_rule;
  bool allows_suicide, pass_alive;
} golois_katago_rules;

// Room for num_rows rows: planes as float32 [19, 19, 22] (planes_format 0), uint8 of the same shape
// (1) or bits [22, 19, 19] as uint8 [993], the highest first (2); 19 globals; whether each of 361
// points and the pass is legal.
typedef struct {
  void *planes;
  int32_t planes_format;
  float *globals;
  uint8_t *legal;
  int64_t num_rows;
} golois_katago_rows;

// Writes one row a turn, the number of moves before it; turns ascend. setup has a colour a point.
// Colours alternate from `first`. hides_end, one element a turn: a pass that would end the game is
// shown as if it would not. Ko and superko forbid no move of the record.
int32_t golois_katago_game_inputs(const golois_katago_rules *rules, const uint8_t *setup,
                                  int32_t first, const int16_t *moves, int64_t num_moves,
                                  const int64_t *turns, const uint8_t *hides_end, int64_t num_turns,
                                  const golois_katago_rows *rows);

// ---- games of a network against itself --------------------------------------------------------

typedef struct golois_selfplay golois_selfplay;

// Fields as in golois.SelfPlayOptions; the seed of `search` is that of the games.
typedef struct {
  golois_search_options search;
  golois_race_options race;
  bool is_race, keeps_tree;
  int32_t num_simulations, quick_simulations, victim_simulations, random_moves, early_moves;
  double full_share, early_temperature, late_temperature, max_value_loss, resign_value,
      hold_out_share;
} golois_selfplay_options;

// Of a game that is over: resignable_from is -1, or the moves before the first position in which
// the player would resign.
typedef struct {
  int64_t number, num_moves, num_shares;
  int32_t winner, resignable_from;
  bool has_resigned, is_held_out;
} golois_played_game;

// Plays games first_game … first_game + num_games − 1 from copies of start, num_parallel at a time.
// NULL on failure.
golois_selfplay *golois_selfplay_create(const golois_game *start,
                                        const golois_selfplay_options *options, int64_t first_game,
                                        int64_t num_games, int32_t num_parallel,
                                        int32_t num_threads);
void golois_selfplay_destroy(golois_selfplay *selfplay);
// Writes the planes of a position of each game, with room for num_parallel of them; returns how
// many, -1 on failure.
int32_t golois_selfplay_collect(golois_selfplay *selfplay, float *planes);
// Whether each row of the last collect() is for the victim; as many as it has returned.
void golois_selfplay_asks_victim(const golois_selfplay *selfplay, bool *flags);
int32_t golois_selfplay_answer(golois_selfplay *selfplay, const float *policy,
                               const float *value_white, int32_t num_rows);
int64_t golois_selfplay_num_moves(const golois_selfplay *selfplay);
// The oldest of the games that are over and were not taken; false if there is none.
bool golois_selfplay_finished(const golois_selfplay *selfplay, golois_played_game *game);
// Takes that game: one element a move, then one a share, those of a position from the end of the
// one before to its own.
int32_t golois_selfplay_take(golois_selfplay *selfplay, int16_t *moves, float *values_white,
                             int64_t *policy_ends, int64_t num_moves, int16_t *policy_moves,
                             float *policy_shares, int64_t num_shares);

// ---- training bottlenecks ---------------------------------------------------------------------

// A chain of inverted bottlenecks on boards of size × size points, see bottlenecks.hpp for the
// order of weights and statistics.
typedef struct golois_bottlenecks golois_bottlenecks;

// See instruction_sets.hpp.
typedef struct {
  int32_t blocks, size, trunk, filters, kernels;
  bool swish;
  int32_t squeezed;
} golois_bottleneck_shape;

// The fastest instructions that the processor has, of at most `most`: 0 any processor's, 1 AVX2, 2
// AVX-512, 3 AVX-512 with bfloat16, 4 AMX.
int32_t golois_best_instructions(int32_t most);
// NULL on failure. `half`: products, and what is kept for the gradient, in bfloat16.
golois_bottlenecks *golois_bottlenecks_create(const golois_bottleneck_shape *shape, float epsilon,
                                              bool half, int32_t most, int32_t num_threads);
void golois_bottlenecks_destroy(golois_bottlenecks *bottlenecks);
// x and out are [n, size · size, trunk].
int32_t golois_bottlenecks_forward(golois_bottlenecks *bottlenecks, int64_t n, const float *x,
                                   const float *weights, float *out, float *statistics);
// Of the last forward pass.
int32_t golois_bottlenecks_backward(golois_bottlenecks *bottlenecks, const float *gradient,
                                    float *input_gradient, float *weight_gradients);

// ---- FishNet ----------------------------------------------------------------------------------

// Of a point that is empty (0), the player's (1) or the enemy's (2): the rewards with stones and
// without that seven outputs promise.
void golois_point_rewards(int32_t state, const float *outputs, float captured, float *rewards);
// The outputs that rewards ask for; those that the state doesn't have stay.
void golois_point_targets(int32_t state, const float *rewards, float captured, float *targets);

// Blair's network as 3150 numbers of its kernels: input to hidden [3, 3, 14, 12], hidden to output
// [3, 3, 12, 7], input to output [3, 3, 14, 7]. It is never changed: several threads may use it.
// NULL on failure.
typedef struct golois_isn golois_isn;
golois_isn *golois_isn_create(int32_t size, const float *kernels, int64_t capacity);
void golois_isn_destroy(golois_isn *network);
// The sums of each point [n·n, 7], those of outputs that its state has, for inputs 0 … 13 of a
// board with a ring around it [(n+2)·(n+2)].
int32_t golois_isn_sums(const golois_isn *network, const uint8_t *inputs, int64_t num_inputs,
                        float *sums, int64_t capacity);
// Adds to gradient (3150 numbers) how a loss changes with the kernels, given how it changes with
// the sums.
int32_t golois_isn_gradient(const golois_isn *network, const uint8_t *inputs, int64_t num_inputs,
                            const float *errors, int64_t num_errors, double *gradient,
                            int64_t capacity);

// Fields as in papers.fishnet.game.Scoring, the step of the adjustments beside new stones, and
// those of papers.fishnet.game.ChainRules: three openings for each of up to 16 sizes.
typedef struct {
  float captured, stone, step;
  float least_eye;
  int32_t num_sizes;
  float openings[48];
} golois_fishnet_options;

// A game as two players see it that use one network, which must outlive it. NULL on failure.
typedef struct golois_fishnet golois_fishnet;
golois_fishnet *golois_fishnet_create(const golois_isn *network,
                                      const golois_fishnet_options *options);
void golois_fishnet_destroy(golois_fishnet *game);
// Plays a move of a colour; fails where it is illegal.
int32_t golois_fishnet_play(golois_fishnet *game, int32_t move, int32_t colour);
// The values of all moves of the side to move, NaN for those that are illegal: n·n+1 numbers.
int32_t golois_fishnet_values(golois_fishnet *game, float *values, int64_t capacity);
// As a colour's last move has left it: the outputs of each point [n·n, 7], NaN those that its state
// doesn't have, and the inputs with their ring.
int32_t golois_fishnet_outputs(const golois_fishnet *game, int32_t colour, float *outputs,
                               int64_t capacity);
int32_t golois_fishnet_inputs(const golois_fishnet *game, int32_t colour, uint8_t *inputs,
                              int64_t capacity);

// SelNet's sums of the side to move's moves before one is made: n·n+1 numbers, 0 for the pass, NaN
// for illegal moves. It is a network whose output Z+ counts, and of empty points alone; and the
// inputs that it is shown, with their ring.
int32_t golois_fishnet_selection(const golois_fishnet *game, const golois_isn *selection,
                                 float *values, int64_t capacity);
int32_t golois_fishnet_selection_inputs(const golois_fishnet *game, uint8_t *inputs,
                                        int64_t capacity);

typedef struct {
  int32_t move;
  float value;  // to the side to move
  int64_t num_evaluations;
} golois_fishnet_choice;

// Alpha-beta to a depth in plies. With SelNet (or NULL), a position has as many moves as widths
// says of its ply, and the pass; further plies have as many as the last.
int32_t golois_fishnet_search(const golois_fishnet *game, int32_t depth,
                              const golois_isn *selection, const int32_t *widths,
                              int64_t num_widths, golois_fishnet_choice *choice);

// Fields as in papers.fishnet.td_game.TdOptions.
typedef struct {
  golois_fishnet_options player;
  double beta, lambda;
  bool every_move;
  int32_t max_moves;
} golois_td_options;

// Fields as in papers.fishnet.td_game.TdGame.
typedef struct {
  int32_t num_moves;
  bool is_cut;
  double score_black, loss;
  int64_t num_outputs;
} golois_td_game;

// Plays a game of the network against itself, writes its moves, with room for max_moves of them,
// and adds the gradient of its loss to 3150 numbers.
int32_t golois_td_play(const golois_isn *network, const golois_td_options *options, uint64_t seed,
                       golois_td_game *game, int16_t *moves, int64_t num_moves, double *gradient,
                       int64_t capacity);
